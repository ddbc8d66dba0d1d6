/** A configuration after parsing: validated, with defaults applied, before rules are evaluated. */
import type { Expression } from '../expressions/expressions.ts'
import type {
  CrossDependency,
  environmentActions,
  environmentTiers,
  IncludeEntry,
  JobOptions,
  JobWhen,
  PlainValue,
  Plan,
  PlannedVariable,
} from '../plan.ts'
import type { YamlMap } from '../yaml/values.ts'

export interface Config {
  /** Includes `.pre` and `.post`. */
  stages: string[]
  variables: PlannedVariable[]
  /** Global variables with a description, which the form to run a pipeline shows. */
  described_variables: { key: string; value: string; description: string; options: string[] }[]
  workflow: Workflow
  jobs: ConfiguredJob[]
  /** The whole file, with included files merged in, and references and `extends` resolved. */
  merged: YamlMap
}

export interface Workflow {
  name: string | null
  rules: Rule[] | null
  auto_cancel: Partial<Plan['auto_cancel']>
}

export interface ConfiguredJob {
  name: string
  stage: string
  stage_idx: number
  when: JobWhen
  start_in_s: number | null
  /** Null: depends on `when`. */
  allow_failure: AllowFailure | null
  tags: string[]
  needs: ConfiguredNeed[] | null
  dependencies: string[] | null
  /** Inherited global variables. */
  inherited_variables: PlannedVariable[]
  variables: PlannedVariable[]
  environment: ConfiguredEnvironment | null
  coverage: string | null
  retry: { max: number; when: string[]; exit_codes: number[] }
  timeout_s: number | null
  interruptible: boolean
  resource_group: string | null
  /** The variables of each instance; with a plain number, the instances have none. */
  parallel: { matrix: boolean; instances: PlannedVariable[][] } | null
  trigger: ConfiguredTrigger | null
  manual_confirmation: string | null
  only: Policy | null
  except: Policy | null
  rules: Rule[] | null
  options: JobOptions
}

export type AllowFailure = boolean | { exit_codes: number[] }

export interface ConfiguredNeed {
  job: string
  artifacts: boolean
  optional: boolean
  /** `parallel:matrix`: selects these instances. */
  instances: PlannedVariable[][] | null
}

export interface ConfiguredNeeds {
  jobs: ConfiguredNeed[]
  cross: CrossDependency[]
}

export interface ConfiguredEnvironment {
  name: string
  url: string | null
  action: (typeof environmentActions)[number]
  on_stop: string | null
  auto_stop_in_s: number | null
  deployment_tier: (typeof environmentTiers)[number] | null
}

export interface ConfiguredTrigger {
  project: string | null
  branch: string | null
  include: IncludeEntry[] | null
  strategy: 'depend' | 'mirror' | null
  forward: { yaml_variables: boolean; pipeline_variables: boolean }
  inputs: Record<string, PlainValue>
}

export interface Policy {
  refs: string[] | null
  variables: Expression[] | null
  changes: string[] | null
  /** There are no clusters, so such a policy is never active. */
  kubernetes: boolean
}

export interface Rule {
  if: Expression | null
  changes: { paths: string[]; compare_to: string | null } | null
  exists: string[] | null
  when: JobWhen | 'never' | null
  start_in_s: number | null
  allow_failure: AllowFailure | null
  interruptible: boolean | null
  variables: PlannedVariable[]
  needs: ConfiguredNeeds | null
  auto_cancel: Partial<Plan['auto_cancel']>
}
