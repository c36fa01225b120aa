// Runs before anything is drawn: sets the language, the theme and the shape of the first screen, and notes whether another run
// than the first scenario will be shown (static/shell.css then hides the scenario, and static/boot.js fetches both parts of
// the wasm).
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
}
