"""MLflow: where runs are written and read again. `mlflow` itself is imported only when used."""
