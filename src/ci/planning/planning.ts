/** The public functions for CI files: parse them for a project and a ref, and plan their pipelines. */
import type { Config } from '../config/config.types.ts'
import { parse } from '../config/parse.ts'
import type { IncludeEntry, IncludeLoader, Parsed, PlainValue, PlanContext } from '../plan.ts'
import { createPatterns, type Patterns } from '../text/patterns.ts'
import { matchingRule } from './decide.ts'
import { factsFor } from './facts.ts'
import { scopesFor } from './job-scope.ts'

export type { Config } from '../config/config.types.ts'
export { createPatterns, type Patterns } from '../text/patterns.ts'
export { toPlain, type YamlMap } from '../yaml/values.ts'
export { planFor } from './plan-for.ts'

const skip = /\[(ci[ _-]skip|skip[ _-]ci)\]/i

/** Whether the message of a commit asks to skip the pipeline. */
export function skipsPipeline(message: string): boolean {
  return skip.test(message)
}

/**
 * Parses a file, or the files that a trigger includes, with everything these include. Never throws for errors of authors, and takes a
 * bounded time. `load` is called for includes whose rules match; `patterns` are shared with planning; `inputs` are values for the file's
 * inputs.
 */
export function parseConfig(
  source: string | IncludeEntry[],
  load: IncludeLoader,
  context: PlanContext,
  patterns: Patterns = createPatterns(),
  inputs: Readonly<Record<string, PlainValue>> = {},
): Promise<Parsed<Config>> {
  const { pipeline } = scopesFor(context, [])
  return parse(source, {
    load,
    inputs,
    patterns,
    lookup: pipeline,
    decide: async (rules) => {
      const rule = matchingRule(rules, await factsFor(rules, [], { context, lookup: pipeline, patterns }), pipeline)
      return rule !== null && rule.when !== 'never'
    },
  })
}
