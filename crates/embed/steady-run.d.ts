/** What a step did, as `steady:step` of the page (docs/embed.md). */
export interface SteadyStep {
  /** A component's name, `you` for what the reader or the host did, or `null` at the start. */
  by: string | null;
  method: string | null;
  path: string | null;
  code: number | null;
  rule: string | null;
  objects: string[];
  moment: number;
  revision: number;
}

/**
 * `<steady-run src="…">`: a run of Steady in a page. Attributes: `src` (the address of Steady's page, without which nothing
 * is shown), `scenario`, `link`, `manifest`, `language`, `theme` (`light` or `dark`), `panes`, `at`, `until`, `controls`
 * (`none` hides the buttons), `title`.
 */
export declare class SteadyRun extends HTMLElement {
  step(): void;
  back(): void;
  restart(): void;
  toSteady(): void;
  stop(): void;
  apply(manifest: string): void;
  addEventListener(type: "steady-step", listener: (event: CustomEvent<SteadyStep>) => void, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: "steady-ready", listener: (event: CustomEvent<null>) => void, options?: boolean | AddEventListenerOptions): void;
  addEventListener<K extends keyof HTMLElementEventMap>(type: K, listener: (event: HTMLElementEventMap[K]) => void, options?: boolean | AddEventListenerOptions): void;
}

declare global {
  interface HTMLElementTagNameMap { "steady-run": SteadyRun }
}
