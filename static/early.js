// Runs before anything is drawn: sets the language and the theme of the first screen, and notes whether another run than the
// first scenario will be shown (static/shell.css then hides the scenario, and static/boot.js fetches both parts of the wasm).
{
  const root = document.documentElement;
  let lang, theme, resumes = location.hash.length > 1;
  try {
    [lang, theme] = ["steady:lang", "steady:theme"].map((key) => localStorage.getItem(key));
    resumes ||= sessionStorage.getItem("steady:run") !== null;
    resumes ||= ["steady:last", "steady:work"].some((key) => localStorage.getItem(key) !== null);
  } catch { /* no storage, no memory */ }
  if ((lang ?? navigator.language).toLowerCase().startsWith("zh")) root.lang = "zh-CN";
  if (theme) root.dataset.theme = theme;
  if (resumes) root.dataset.resumes = "";
}
