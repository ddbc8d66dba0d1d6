/** A job that is part of a pipeline, before it is planned. */
import type { ConfiguredJob, Rule } from '../config/config.types.ts'
import type { PlannedVariable } from '../plan.ts'

/** A job with what was decided about it. */
export interface ChosenJob {
  job: ConfiguredJob
  /** The rule that let it in; null where it has no rules. */
  rule: Rule | null
  /** Of the file: global ones, those of the workflow, its own, those of its rule. */
  variables: PlannedVariable[]
}
