// Draws the posts per day (uPlot, joined in front). The numbers are in the table
// below the chart, which is what a reader without script gets.
"use strict";
(() => {
  const steps = [1, 2, 5];
  // top returns a round number from which the axis can be halved.
  function top(most) {
    for (let size = 2; ; size *= 10) for (const step of steps) if (step * size >= most) return step * size;
  }
  // colour resolves a token, light-dark() included, to the colour in use.
  function colour(name) {
    const probe = document.createElement("i");
    probe.hidden = true;
    probe.style.color = `var(${name})`;
    document.body.append(probe);
    const value = getComputedStyle(probe).color;
    probe.remove();
    return value;
  }
  function draw(box) {
    const table = document.querySelector(box.dataset.table);
    if (!table || box.dataset.drawn === table.textContent) return;
    box.dataset.drawn = table.textContent;
    const names = [...table.tHead.rows[0].cells].slice(1).map((c) => c.textContent);
    const rows = [...table.tBodies[0].rows].map((r) => [...r.cells].map((c) => c.textContent));
    const days = rows.map((r) => r[0]);
    const values = names.map((_, i) => rows.map((r) => Number(r[i + 1].replace(/\D/g, ""))));
    const font = `12px ${getComputedStyle(document.body).fontFamily}`;
    const dashes = [[], [6, 3], [2, 3], [9, 2], [1, 2]];
    const line = colour("--line");
    const axis = { stroke: colour("--text-soft"), font, grid: { stroke: line, width: 1 }, ticks: { show: false } };
    const most = top(Math.max(1, ...values.flat()));
    box.replaceChildren();
    new uPlot({
      width: box.clientWidth, height: box.clientHeight, padding: [8, 12, 0, 0],
      cursor: { points: { size: 6 }, drag: { x: false, y: false } }, legend: { show: false },
      scales: { x: { time: false }, y: { range: () => [0, most] } },
      axes: [
        { ...axis, grid: { show: false }, splits: () => days.map((_, i) => i), values: (_, v) => v.map((i) => days[i]), size: 26, gap: 4 },
        { ...axis, size: 36, gap: 4, splits: () => [0, most / 2, most], values: (_, v) => v.map((n) => n || "") },
      ],
      series: [{}, ...names.map((label, i) => ({ label, stroke: colour(`--series-${i + 1}`), width: 2, dash: dashes[i], points: { show: days.length < 3 } }))],
    }, [days.map((_, i) => i), ...values], box);
  }
  const drawAll = () => document.querySelectorAll(".chart[data-table]").forEach(draw);
  document.addEventListener("DOMContentLoaded", drawAll);
  document.addEventListener("htmx:after:swap", drawAll);
  const again = () => { document.querySelectorAll(".chart").forEach((c) => delete c.dataset.drawn); drawAll(); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  let resized;
  addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(again, 200); });
})();
