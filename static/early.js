// Runs before anything is drawn: sets the language, the theme and the shape of the first screen, and notes whether another run
// than the first scenario will be shown (static/shell.css then hides the scenario, and static/boot.js fetches both parts of
// the wasm). And it takes the steps that somebody asks the first screen for.
{
  const root = document.documentElement, options = new URLSearchParams(location.search);
  let lang, theme, resumes = location.hash.length > 1 || options.has("scenario");
  try {
    [lang, theme] = ["steady:lang", "steady:theme"].map((key) => localStorage.getItem(key));
    resumes ||= sessionStorage.getItem("steady:run") !== null;
    resumes ||= ["steady:last", "steady:work"].some((key) => localStorage.getItem(key) !== null);
  } catch { /* no storage, no memory */ }
  lang = options.get("lang") ?? lang;
  theme = options.get("theme") ?? theme;
  if (options.has("embed")) root.dataset.shape = "embedded";
  else if (options.has("present")) root.dataset.shape = "presented";
  if ((lang ?? navigator.language).toLowerCase().startsWith("zh")) root.lang = "zh-CN";
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  if (resumes) root.dataset.resumes = "";

  // static/first.html has what the page shows after each of the first steps. Further ones wait. The page, which takes its place,
  // takes them all before it is seen. Nothing else of the first screen can be used.
  let asked = 0, taken = 0;
  const ask = (event) => {
    const shell = document.querySelector(".shell"), button = shell?.querySelector(".step")?.getBoundingClientRect();
    if (!button || resumes) return;
    const { key, shiftKey, ctrlKey, metaKey, altKey, clientX: x, clientY: y } = event;
    const hit = event.type === "keydown"
      ? key === "ArrowRight" && !(shiftKey || ctrlKey || metaKey || altKey)
      : x >= button.left && x <= button.right && y >= button.top && y <= button.bottom;
    if (!hit) return;
    asked += 1;
    const shown = Math.min(asked, Number(shell.dataset.steps));
    for (const part of shell.querySelectorAll("[data-at]")) part.toggleAttribute("hidden", !part.dataset.at.split(" ").includes(String(shown)));
    if (asked > shown) shell.dataset.asked = asked;
    // The screen is inert: what has happened is said beside it.
    if (asked > shown) document.getElementById("boot-asked").hidden = false;
    else document.getElementById("boot-said").textContent = [...shell.querySelectorAll(".said")].find((said) => said.getClientRects().length).innerText;
  };
  for (const event of ["keydown", "pointerdown"]) addEventListener(event, ask);
  // For the page: how many steps were asked for since it has asked last. It asks until there is none any more, and stands then.
  window.steadyAsked = () => {
    const steps = asked - taken;
    taken = asked;
    if (!steps) for (const event of ["keydown", "pointerdown"]) removeEventListener(event, ask);
    return steps;
  };
}
