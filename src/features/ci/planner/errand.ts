/** What the thread that plans gets, asks and makes. Nothing in it but data. */
import type {
  IncludedFile,
  IncludeEntry,
  KnownVariable,
  LoadedInclude,
  PlainValue,
  PlanContext,
  Planned,
  ScopedVariable,
} from '../../../ci/plan.ts'

export type Job = PlanJob | { kind: 'coverage'; text: string; pattern: string }

export interface PlanJob {
  kind: 'plan'
  /** The text of the file, or what a trigger includes. */
  source: string | IncludeEntry[]
  context: PlannedFor
  /** Values for the inputs of the file; they may be texts where it wants others. */
  inputs?: Readonly<Record<string, PlainValue>>
  /** Whether every job is planned, whatever its rules say. */
  ignores_rules: boolean
  /** Whether the merged file is wanted as a text. */
  with_yaml: boolean
}

/** The context as data: `variables` above those of the file, and those given with the pipeline above all. */
export type PlannedFor = Omit<PlanContext, 'variablesFor' | 'changedPaths' | 'files'> & {
  stored: ScopedVariable[]
  given: KnownVariable[]
}

/** Where a file came from is a number here: the process has what it stands for. */
export type Question =
  | { kind: 'include'; entry: IncludeEntry; from: number | null; max_chars: number }
  | { kind: 'changed'; compareTo: string | null }
  | { kind: 'files' }

export interface Answers {
  include: LoadedInclude<number>
  changed: string[] | null
  files: string[] | null
}

export type PlannedFile = { errors: string[]; warnings: string[]; includes: IncludedFile[] } | PlannedOutcome

export interface PlannedOutcome {
  planned: Planned
  warnings: string[]
  includes: IncludedFile[]
  merged_yaml: string | null
}
