/** The replies of lint. */
import type { Static } from 'typebox'
import type { PlannedJob } from '../../../ci/plan.ts'
import type { Lint, LintedText } from './lint.schema.ts'
import type { Linted } from './lint.service.ts'

export function presentLintedText(
  linted: Linted,
  wanted: { include_jobs: boolean; include_merged_yaml: boolean },
): Static<typeof LintedText> {
  const { errors, warnings, merged_yaml, jobs } = linted
  const reply: Static<typeof LintedText> = { status: errors.length === 0 ? 'valid' : 'invalid', errors, warnings }
  if (wanted.include_merged_yaml && merged_yaml !== null) reply.merged_yaml = merged_yaml
  if (wanted.include_jobs) reply.jobs = jobs.map(presentJob)
  return reply
}

export function presentLint(linted: Linted, project: string, include_jobs: boolean): Static<typeof Lint> {
  const { errors, warnings, merged_yaml, includes, jobs } = linted
  const reply: Static<typeof Lint> = {
    valid: errors.length === 0,
    errors,
    warnings,
    merged_yaml,
    includes: includes.map(({ kind, location, extra }) => ({
      type: kind === 'project' ? 'file' : kind,
      location,
      context_project: kind === 'local' ? project : null,
      extra,
    })),
  }
  if (include_jobs) reply.jobs = jobs.map(presentJob)
  return reply
}

function presentJob({ name, stage, tags, environment, when, allow_failure, needs, options }: PlannedJob) {
  const { before_script, script, after_script } = options
  return {
    name,
    stage,
    before_script,
    script,
    after_script,
    tag_list: tags,
    environment: environment?.name ?? null,
    when,
    allow_failure,
    needs,
  }
}
