// How the editor looks. Colours are the page's custom properties, which reach into the shadow root;
// the values after them hold where the page sets none. Every pair meets WCAG AA on its background.
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags as t } from "@lezer/highlight";

const LIGHT = {
  bg: "#ffffff", text: "#1c2430", muted: "#667085", line: "#f2f5f9", select: "#cfe0fb", border: "#d9dfe8",
  accent: "#1f5fd0", marked: "#fdf1c7", key: "#1f4f9e", string: "#1a6b3c", number: "#9a4a00", keyword: "#7a3aa8",
};
const DARK = {
  bg: "#12161d", text: "#e3e8ef", muted: "#8d98a8", line: "#1a2029", select: "#2a4368", border: "#2c3542",
  accent: "#7aa8ff", marked: "#3d3514", key: "#8fb8ff", string: "#8fd3a5", number: "#f0b27a", keyword: "#cfa3f0",
};

export function look(dark) {
  const host = {};
  for (const [name, value] of Object.entries(dark ? DARK : LIGHT)) host[`--e-${name}`] = `var(--editor-${name}, ${value})`;
  return EditorView.theme({
    "&": {
      ...host, height: "100%", color: "var(--e-text)", backgroundColor: "var(--e-bg)",
      fontSize: "var(--editor-font-size, 13px)",
    },
    // Drawn over the gutter, which would cover an outline.
    "&.cm-focused": { outline: "none" },
    "&.cm-focused::after": {
      content: "''", position: "absolute", inset: 0, border: "2px solid var(--e-accent)", borderRadius: "inherit",
      pointerEvents: "none", zIndex: 300,
    },
    ".cm-scroller": { fontFamily: "var(--font-mono, 'JetBrains Mono Variable', ui-monospace, monospace)", lineHeight: "1.55" },
    ".cm-content": { caretColor: "var(--e-accent)" },
    ".cm-cursor": { borderLeftColor: "var(--e-accent)", borderLeftWidth: "2px" },
    ".cm-gutters": { backgroundColor: "var(--e-bg)", color: "var(--e-muted)", border: "none" },
    ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--e-line)" },
    ".cm-foldPlaceholder": { color: "var(--e-text)", backgroundColor: "var(--e-line)", border: "1px solid var(--e-border)", padding: "0 4px" },
    ".cm-marked": { backgroundColor: "var(--e-marked)" },
    "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--e-select)" },
    ".cm-tooltip, .cm-panels": { color: "var(--e-text)", backgroundColor: "var(--e-bg)", border: "1px solid var(--e-border)" },
    ".cm-tooltip, .cm-panels, .cm-panels input, .cm-panels button": { fontFamily: "var(--font-ui, system-ui, sans-serif)", fontSize: "12.5px", lineHeight: "1.5" },
    // The search panel, which CodeMirror leaves as the browser has it.
    ".cm-panel.cm-search": { padding: "8px 34px 8px 10px" },
    ".cm-panel.cm-search label": { fontSize: "12px", color: "var(--e-muted)" },
    ".cm-panel.cm-search [name=close]": { top: "6px", right: "6px", width: "26px", height: "26px", fontSize: "17px", borderRadius: "5px", color: "var(--e-muted)", cursor: "pointer" },
    ".cm-panel .cm-textfield": { padding: "3px 8px", border: "1px solid var(--e-border)", borderRadius: "5px", color: "var(--e-text)", backgroundColor: "var(--e-bg)" },
    ".cm-panel .cm-textfield:focus": { outline: "2px solid var(--e-accent)", outlineOffset: "-1px" },
    ".cm-panel .cm-button": { padding: "3px 9px", border: "none", borderRadius: "5px", color: "var(--e-text)", background: "var(--e-line)", cursor: "pointer" },
    ".cm-tooltip code, .cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--font-mono, 'JetBrains Mono Variable', ui-monospace, monospace)" },
    ".cm-tooltip": { borderRadius: "6px", boxShadow: "0 6px 24px rgb(0 0 0 / .18)", maxWidth: "min(34rem, 92vw)" },
    ".cm-tooltip.cm-completionInfo": { padding: "8px 10px", whiteSpace: "pre-line", maxHeight: "16rem", overflow: "auto" },
    ".cm-tooltip-autocomplete ul li[aria-selected]": { color: "var(--e-text)", backgroundColor: "var(--e-select)" },
    ".cm-completionDetail": { color: "var(--e-muted)", fontStyle: "normal" },
    ".cm-doc": { padding: "8px 10px", maxHeight: "16rem", overflow: "auto" },
    ".cm-doc code": { color: "var(--e-key)", marginRight: "8px" },
    ".cm-doc span": { color: "var(--e-muted)" },
    ".cm-doc p": { margin: "6px 0 0", whiteSpace: "pre-line" },
    ".cm-completionInfo p": { margin: "0 0 4px", whiteSpace: "pre-line" },
    ".cm-doc .cm-limits": { marginTop: "6px" },
    ".cm-limits code": { display: "block", color: "var(--e-muted)", overflowWrap: "anywhere" },
  }, { dark: !!dark });
}

export const highlighting = syntaxHighlighting(HighlightStyle.define([
  { tag: [t.definition(t.propertyName), t.propertyName], color: "var(--e-key)" },
  { tag: [t.string, t.special(t.string)], color: "var(--e-string)" },
  { tag: [t.number, t.bool, t.null], color: "var(--e-number)" },
  { tag: [t.keyword, t.typeName, t.labelName, t.meta], color: "var(--e-keyword)" },
  { tag: t.content, color: "var(--e-string)" },
  { tag: [t.comment, t.lineComment], color: "var(--e-muted)", fontStyle: "italic" },
  { tag: [t.separator, t.punctuation, t.squareBracket, t.brace], color: "var(--e-muted)" },
]));
