/** Messages to and from the planning process, which only contain data. */
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
import type { Room } from '../../../ci/text/junit.ts'

export type Job = PlanJob | { kind: 'coverage'; text: string; pattern: string } | ({ kind: 'junit' } & JunitFile)

/** A file of test results as it was uploaded. */
export interface JunitFile {
  bytes: Uint8Array
  isCompressed: boolean
  /** Larger ones, unpacked, are not read. */
  max_bytes: number
  room: Room
}

export interface PlanJob {
  kind: 'plan'
  /** The text of the file, or the files that a trigger includes. */
  source: string | IncludeEntry[]
  context: PlannedFor
  /** Values for the inputs of the file, possibly as text where another type is expected. */
  inputs?: Readonly<Record<string, PlainValue>>
  /** Whether to plan every job, whatever its rules. */
  ignores_rules: boolean
  /** Whether to return the merged file as text. */
  with_yaml: boolean
}

/** The context as data: `variables` override those of the file, and are overridden by those given with the pipeline. */
export type PlannedFor = Omit<PlanContext, 'variablesFor' | 'changedPaths' | 'files'> & {
  stored: ScopedVariable[]
  given: KnownVariable[]
}

/** Origins of files are represented by numbers, which the server maps to their values. */
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
