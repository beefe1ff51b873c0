"""Pure: from answers to a result. Neither ray, mlflow, hydra nor files.

`reading`: an answer becomes a prediction. `marks`: is it right? `result`: a task's predictions and
verdicts become its `TaskResult`.
"""
