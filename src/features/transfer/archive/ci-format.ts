/**
 * Pipelines in archives, with the statuses of their commits. Jobs become statuses: their definitions, traces and artifacts are not
 * exported, so they can't run again. Unfinished ones are canceled.
 */
import { Type } from 'typebox'
import { pipelineSources } from '../../../ci/plan.ts'
import { nullable, oneOf } from '../../../http/parameters/schema.ts'
import { flag, Instant, line, longText, number, Oid, Person, refName, text, Url } from './format-words.ts'

const statuses = ['created', 'pending', 'running', 'success', 'failed', 'canceled', 'skipped'] as const

/** The status in an archive for an unfinished job or pipeline. */
export function statusInArchive(status: string, isReported: boolean): string {
  return isReported || ['success', 'failed', 'skipped'].includes(status) ? status : 'canceled'
}

const seconds = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })

export const ciTables = {
  pipelines: line({
    id: number,
    ref: refName,
    sha: Oid,
    tag: flag,
    source: oneOf(...pipelineSources),
    status: oneOf(...statuses),
    person: Person,
    created_at: Instant,
    updated_at: Instant,
    started_at: nullable(Instant),
    finished_at: nullable(Instant),
    /** From version 5 on. */
    coverage: Type.Optional(nullable(Type.Number())),
    duration_s: Type.Optional(nullable(seconds)),
    queued_duration_s: Type.Optional(nullable(seconds)),
    /** From version 7 on. */
    before_sha: Type.Optional(nullable(Oid)),
    name: Type.Optional(nullable(longText)),
    yaml_errors: Type.Optional(nullable(longText)),
    failure_reason: Type.Optional(nullable(text(255))),
  }),
  commit_statuses: line({
    /** The id of a line in `pipelines`. */
    pipeline: number,
    sha: Oid,
    ref: refName,
    name: text(255),
    stage: text(255),
    status: oneOf(...statuses),
    target_url: nullable(Url),
    description: nullable(text(255)),
    coverage: nullable(Type.Number()),
    allow_failure: flag,
    /** From version 5 on. */
    stage_idx: Type.Optional(number),
    retried: Type.Optional(flag),
    updated_at: Type.Optional(nullable(Instant)),
    /** From version 7 on. */
    failure_reason: Type.Optional(nullable(text(255))),
    person: Person,
    created_at: Instant,
    started_at: nullable(Instant),
    finished_at: nullable(Instant),
  }),
}

/** Settings of a project that were added with CI. */
export const ciSettings = {
  build_timeout_s: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })),
  build_coverage_regex: Type.Optional(nullable(text(255))),
  build_git_strategy: Type.Optional(oneOf('fetch', 'clone')),
  ci_default_git_depth: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 1_000 }))),
  auto_cancel_pending_pipelines: Type.Optional(oneOf('enabled', 'disabled')),
  keep_latest_artifact: Type.Optional(flag),
  job_token_scope_enabled: Type.Optional(flag),
  group_runners_enabled: Type.Optional(flag),
}
export const ciSettingNames = Object.keys(ciSettings) as Array<keyof typeof ciSettings>
