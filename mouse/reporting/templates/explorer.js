"use strict";
/* The sample explorer. Everything that comes from data is put on the page as text nodes. */
(async () => {
  const ROW = 46;
  const byId = (id) => document.getElementById(id);
  const list = byId("list"), rows = byId("rows"), detail = byId("detail");

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  let data;
  try {
    data = await unpack(byId("data").textContent.trim());
  } catch (error) {
    byId("count").textContent = "The samples could not be unpacked: this page needs a browser of 2023 or later.";
    return;
  }
  const { models, outcomes, items, questions } = data;
  const [TASK, ITEM, VARIANT, GOLD, ANSWERS] = [0, 1, 2, 3, 4];
  const [OUTCOME, PREDICTED, RIGHT, RAW, SCORE, RATIONALE, NOTE] = [0, 1, 2, 3, 4, 5, 6];
  const raw = (answer) => (answer[RAW] === undefined || answer[RAW] === null ? answer[PREDICTED] : answer[RAW]) ?? "";

  function node(tag, className, text) {
    const made = document.createElement(tag);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  /* Control and direction characters are shown, not obeyed. */
  const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g;
  function write(parent, text) {
    let last = 0;
    for (const found of text.matchAll(HIDDEN)) {
      if (found.index > last) parent.append(text.slice(last, found.index));
      const code = found[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
      parent.append(node("span", "hidden", "U+" + code));
      last = found.index + found[0].length;
    }
    if (last < text.length) parent.append(text.slice(last));
  }

  const SHOWN = 1500;
  function prose(text, className) {
    const made = node("div", "prose " + (className || ""));
    write(made, text.slice(0, SHOWN));
    if (text.length > SHOWN) {
      const more = node("button", "more", `show all ${text.length.toLocaleString()} characters`);
      more.onclick = () => { made.replaceChildren(); write(made, text); };
      made.append(more);
    }
    return made;
  }

  /* Longest common subsequence by user-perceived characters; long texts are not compared. */
  const segments = (text) => typeof Intl.Segmenter === "function"
    ? Array.from(new Intl.Segmenter("zh", { granularity: "grapheme" }).segment(text), (s) => s.segment)
    : Array.from(text);
  function marked(text, against, className) {
    const one = segments(text), other = segments(against);
    if (one.length > 400 || other.length > 400) return prose(text, className);
    const table = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
    for (let i = one.length - 1; i >= 0; i--)
      for (let j = other.length - 1; j >= 0; j--)
        table[i][j] = one[i] === other[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
    const made = node("div", "prose " + (className || ""));
    let i = 0, j = 0, run = "", changed = false;
    const flush = () => {
      if (!run) return;
      if (changed) { const mark = node("mark"); write(mark, run); made.append(mark); } else write(made, run);
      run = "";
    };
    while (i < one.length) {
      const same = j < other.length && one[i] === other[j];
      const skip = !same && j < other.length && table[i][j + 1] >= table[i + 1][j];
      if (skip) { j++; continue; }
      if (changed === same) { flush(); changed = !same; }
      run += one[i++];
      if (same) j++;
    }
    flush();
    return made;
  }

  /* Filters */
  const controls = { task: byId("task"), model: byId("model"), outcome: byId("outcome"), label: byId("label"), right: byId("right"), text: byId("text") };
  function options(select, entries) {
    for (const [value, title] of entries) {
      const option = node("option", "", title);
      option.value = value;
      select.append(option);
    }
  }
  options(controls.task, data.tasks.map((t) => [t, t]));
  options(controls.model, models.map((m, i) => [String(i), m]));
  options(controls.outcome, outcomes.map((o, i) => [String(i), o.replace("_", " ")]));
  function fillLabels() {
    const before = controls.label.value;
    controls.label.replaceChildren(controls.label.options[0]);
    const wanted = controls.task.value;
    const found = new Set();
    for (const q of questions) if (q[TASK] !== "tr" && (!wanted || q[TASK] === wanted)) found.add(q[GOLD]);
    options(controls.label, [...found].sort().map((l) => [l, data.labels[l] ? `${data.labels[l]} ${l}` : l]));
    controls.label.value = found.has(before) ? before : "";
  }
  fillLabels();

  const haystacks = new Array(questions.length);
  function haystack(index) {
    if (haystacks[index] === undefined) {
      const q = questions[index], item = items[q[ITEM]] || {};
      const answers = q[ANSWERS].map((a) => (a ? raw(a).slice(0, 2000) : ""));
      haystacks[index] = [q[ITEM], item.text, item.context, item.reference, q[GOLD], ...(item.options || []), ...answers].join("\n").toLowerCase();
    }
    return haystacks[index];
  }

  let shown = [], selected = -1;
  function apply() {
    const task = controls.task.value, model = controls.model.value, outcome = controls.outcome.value;
    const label = controls.label.value, right = controls.right.value, text = controls.text.value.trim().toLowerCase();
    const fits = (a) => a && (outcome === "" || a[OUTCOME] === +outcome) &&
      (right === "" || right === "mixed" || (right === "right" ? a[RIGHT] === 1 : a[RIGHT] === 0));
    shown = [];
    for (let index = 0; index < questions.length; index++) {
      const q = questions[index];
      if (task && q[TASK] !== task) continue;
      if (label && q[GOLD] !== label) continue;
      if (right === "mixed") {
        const some = q[ANSWERS].some((a) => a && a[RIGHT] === 1), none = q[ANSWERS].some((a) => a && a[RIGHT] === 0);
        if (!some || !none) continue;
      }
      if (model === "" ? !q[ANSWERS].some(fits) : !fits(q[ANSWERS][+model])) continue;
      if (text && !haystack(index).includes(text)) continue;
      shown.push(index);
    }
    byId("count").textContent = `${shown.length.toLocaleString()} of ${questions.length.toLocaleString()} questions`;
    rows.style.height = shown.length * ROW + "px";
    list.scrollTop = 0;
    draw();
  }

  /* Only the rows in sight exist. */
  function draw() {
    const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 4);
    const last = Math.min(shown.length, first + Math.ceil(list.clientHeight / ROW) + 8);
    const made = [];
    for (let place = first; place < last; place++) {
      const index = shown[place], q = questions[index], item = items[q[ITEM]] || {};
      const row = node("div", "row" + (index === selected ? " selected" : ""));
      row.style.top = place * ROW + "px";
      row.dataset.index = index;
      const head = node("div", "head", `${q[TASK]}${q[VARIANT] ? "/" + q[VARIANT] : ""} · ${q[ITEM]}`);
      const dots = node("span", "dots");
      for (const a of q[ANSWERS]) dots.append(node("i", !a ? "none" : a[RIGHT] === 1 ? "yes" : a[SCORE] === 1 ? "half" : a[RIGHT] === 0 ? "no" : "none"));
      head.append(dots);
      const line = node("div", "line");
      write(line, (item.text || "").slice(0, 80));
      row.append(head, line);
      made.push(row);
    }
    rows.replaceChildren(...made);
  }

  function fact(title, value) {
    const made = node("div", "fact");
    made.append(node("b", "", title), value instanceof Node ? value : prose(String(value)));
    return made;
  }

  function open(index) {
    selected = index;
    const q = questions[index], item = items[q[ITEM]] || {};
    const made = [node("h3", "", `${q[TASK]}${q[VARIANT] ? " · " + q[VARIANT] : ""} · ${q[ITEM]}`)];
    if (item.context) made.push(fact("dialogue 对话", item.context));
    if (item.text) made.push(fact("original 原文", item.reference ? marked(item.text, item.reference) : item.text));
    if (item.derivation) {
      const steps = node("div", "prose");
      for (const step of item.derivation) {
        const line = node("div");
        write(line, [step.surface, ...step.chain, step.target].join(" → "));
        line.append(node("small", "", "  " + step.mechanism));
        steps.append(line);
      }
      made.push(fact("derivation 推导", steps));
    }
    if (item.reference) made.push(fact("reference 参考", marked(item.reference, item.text || "")));
    if (item.options) {
      const lines = node("div", "prose");
      item.options.forEach((option, i) => {
        const letter = String.fromCharCode(65 + i);
        const line = node("div", letter === item.answer ? "gold" : "");
        write(line, `${letter}. ${option}`);
        lines.append(line);
      });
      made.push(fact("options 选项", lines));
    }
    const known = [];
    if (item.intent) known.push(`${data.labels[item.intent] || ""} ${item.intent}`);
    if (item.toxicity !== undefined) known.push(item.toxicity ? "有毒 toxic" : "无毒 safe");
    if (item.components) known.push(item.components.map((c) => data.labels[c]).join("+"));
    if (q[TASK] !== "tr") known.push(`gold: ${q[GOLD]}`);
    if (known.length) made.push(fact("labels 标签", known.join(" · ")));

    const table = node("table", "answers");
    q[ANSWERS].forEach((a, i) => {
      if (!a) return;
      const row = node("tr", a[RIGHT] === 1 ? "yes" : a[SCORE] === 1 ? "half" : a[RIGHT] === 0 ? "no" : "none");
      const cell = node("td");
      cell.append(item.reference && q[TASK] === "tr" ? marked(raw(a), item.reference) : prose(raw(a)));
      if (a[RATIONALE]) cell.append(prose("judge: " + a[RATIONALE], "rationale"));
      if (a[NOTE]) cell.append(prose("note: " + a[NOTE], "rationale"));
      const verdict = node("td", "verdict");
      const read = a[SCORE] !== undefined && a[SCORE] !== null ? `score ${a[SCORE]}` : q[TASK] === "tr" ? "" : a[PREDICTED] ?? "";
      write(verdict, [outcomes[a[OUTCOME]].replace("_", " "), read].filter(Boolean).join("\n"));
      const name = node("th");
      write(name, models[i]);
      row.append(name, verdict, cell);
      table.append(row);
    });
    made.push(table);
    detail.replaceChildren(...made);
    detail.scrollTop = 0;
    draw();
  }

  list.addEventListener("scroll", draw, { passive: true });
  rows.addEventListener("click", (event) => {
    const row = event.target.closest(".row");
    if (row) open(+row.dataset.index);
  });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const place = Math.min(Math.max(shown.indexOf(selected) + step, 0), shown.length - 1);
    if (shown[place] === undefined) return;
    list.scrollTop = Math.min(list.scrollTop, place * ROW);
    list.scrollTop = Math.max(list.scrollTop, (place + 1) * ROW - list.clientHeight);
    open(shown[place]);
  });
  let timer = 0;
  for (const [name, control] of Object.entries(controls)) {
    control.addEventListener("input", () => {
      if (name === "task") fillLabels();
      clearTimeout(timer);
      timer = setTimeout(apply, name === "text" ? 150 : 0);
    });
  }
  apply();
  if (shown.length) open(shown[0]);
  document.body.dataset.ready = "yes";
})();
