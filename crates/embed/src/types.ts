/** How a run starts. */
export interface Options {
  /** A scenario's id, as `04-rolling-update`; its set-up is done. An empty cluster without one. */
  scenario?: string;
  /** Names, uids and ties come from it: equal seeds, equal runs. 1 unless it is given. */
  seed?: number;
  /** How many nodes of 110 pods; 3, or those of the scenario, unless it is given. */
  nodes?: number;
  /** How many members etcd has; 1, or those of the scenario, unless it is given. */
  etcd?: 1 | 3 | 5;
  /** The address families of the cluster; "ipv4", or those of the scenario, unless it is given. */
  ipFamily?: "ipv4" | "dual";
  /** Who goes next where nobody is chosen; in turn unless it is given. */
  policy?: Policy;
}
/** Who goes next: in turn, the newest news first, by chance, or one component last. */
export type Policy = "fair" | "newest" | `random:${number}` | `starved:${string}`;
/** What a command line printed. */
export interface Output {
  stdout: string;
  stderr: string;
  /** The exit code; `null` if the command has not ended, because it waits (`wait`, `drain`, `rollout status`, `delete`). */
  exit: number | null;
}
/** How deep a step goes: the next API write, one sync, or one finest action. */
export type Depth = "command" | "reconcile" | "machinery";
/** What a component would do next. */
export interface NextCommand {
  /** The component's name. */
  by: string;
  /** What `step` is told to let it go first. */
  actor: string;
  method: string;
  path: string;
  code: number;
  /** The rule that fired, as `manage_replicas.create`, and what it read. */
  rule: string | null;
  facts: { name: string; object: string | null; field: string; value: string }[];
  /** The objects it would write, as `Pod default/web-…`. */
  objects: string[];
  /** Whether time has to pass before. */
  waits: boolean;
}
/** How a run for a while ended. */
export interface Ran { steps: number; steady: boolean }
