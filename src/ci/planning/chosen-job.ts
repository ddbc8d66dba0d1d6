/** A job that was selected for a pipeline, before it is planned. */
import type { ConfiguredJob, Rule } from '../config/config.types.ts'
import type { PlannedVariable } from '../plan.ts'

/** A job with the decisions about it. */
export interface ChosenJob {
  job: ConfiguredJob
  /** The rule that matched; null if it has no rules. */
  rule: Rule | null
  /** Variables of the file: global ones, those of the workflow, its own, those of its rule. */
  variables: PlannedVariable[]
}
