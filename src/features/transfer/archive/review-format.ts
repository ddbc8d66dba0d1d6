/** Merge requests in archives, with the versions of their diffs and the review. From version 4 of the format on. */
import { type TProperties, Type } from 'typebox'
import { nullable, oneOf } from '../../../http/parameters/schema.ts'
import { flag, Instant, line, longText, number, Oid, Person, text } from './format-words.ts'

const iid = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })
/** The range of a 32-bit column. */
const count = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 })
const numbers = Type.Array(number, { maxItems: 10_000 })
const path = Type.String({ pattern: '^[^\\u0000]*$', maxLength: 4_096 })
const mode = Type.String({ pattern: '^[0-7]{6}$' })
const branch = Type.String({ minLength: 1, maxLength: 4_096 })
const LineCode = Type.String({ pattern: '^[0-9a-f]{40}_[0-9]{1,10}_[0-9]{1,10}$' })

/** A nested object, which allows no other properties either. */
const within = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false })
const lineEnd = within({
  line_code: nullable(LineCode),
  type: nullable(oneOf('new', 'old', 'expanded')),
  old_line: nullable(count),
  new_line: nullable(count),
})
const inFile = { base_sha: nullable(Oid), start_sha: Oid, head_sha: Oid, old_path: path, new_path: path }

/** The position of a note in a diff, as in its row; null for other notes. */
const Position = Type.Union([
  within({
    ...inFile,
    position_type: oneOf('text'),
    old_line: nullable(count),
    new_line: nullable(count),
    line_range: Type.Optional(nullable(within({ start: lineEnd, end: lineEnd }))),
  }),
  within({ ...inFile, position_type: oneOf('image'), width: count, height: count, x: count, y: count }),
  within({ ...inFile, position_type: oneOf('file') }),
  Type.Null(),
])

/** For a line on an issue or a merge request. */
export const onNoteable = { issue: nullable(number), merge_request: Type.Optional(nullable(number)) }

/** Properties of notes from version 4 on. */
export const reviewOfNotes = {
  about_merge_request: Type.Optional(nullable(number)),
  /** For a note on a commit of the project, or of one of its merge requests. */
  commit_oid: Type.Optional(nullable(Oid)),
  line_code: Type.Optional(nullable(LineCode)),
  original_position: Type.Optional(Position),
  position: Type.Optional(Position),
  /** The change that removed its line from the diff, if known. Null while the line is in the diff. */
  outdated_by: Type.Optional(nullable(within({ change: Position }))),
  resolved_by_push: Type.Optional(flag),
}

const ofPerson = line({ merge_request: number, person: number, created_at: Instant })

export const mergeRequestTables = {
  merge_requests: line({
    id: number,
    iid,
    author: Person,
    /** Whether its source is a branch of the project itself. Forks are not in the archive. */
    own_source: flag,
    source_branch: branch,
    target_branch: branch,
    title: Type.String({ minLength: 1, maxLength: 255 }),
    description: nullable(longText),
    state: oneOf('opened', 'closed', 'merged'),
    discussion_locked: nullable(flag),
    milestone: nullable(number),
    allow_collaboration: flag,
    squash: flag,
    force_remove_source_branch: flag,
    head_oid: nullable(Oid),
    merge_commit_oid: nullable(Oid),
    squash_commit_oid: nullable(Oid),
    merged_by: Person,
    merged_at: nullable(Instant),
    closed_by: Person,
    closed_at: nullable(Instant),
    time_estimate: number,
    total_time_spent: number,
    last_edited_by: Person,
    last_edited_at: nullable(Instant),
    assignees: numbers,
    mentioned: numbers,
    labels: numbers,
    /** Issues that it closes when it is merged. */
    closes: numbers,
    created_at: Instant,
    updated_at: Instant,
  }),
  merge_request_reviewers: line({
    merge_request: number,
    person: number,
    state: oneOf('unreviewed', 'reviewed', 'requested_changes'),
    created_at: Instant,
  }),
  approvals: ofPerson,
  merge_request_versions: line({
    id: number,
    merge_request: number,
    base_oid: nullable(Oid),
    start_oid: Oid,
    head_oid: Oid,
    state: oneOf('collected', 'overflow', 'empty', 'without_files'),
    real_size: Type.String({ pattern: '^[0-9]{1,9}\\+?$' }),
    files: count,
    additions: count,
    deletions: count,
    commits: count,
    created_at: Instant,
  }),
  merge_request_version_files: line({
    version: number,
    position: count,
    old_path: path,
    new_path: path,
    old_mode: mode,
    new_mode: mode,
    old_oid: Oid,
    new_oid: Oid,
    status: oneOf('added', 'deleted', 'modified', 'renamed'),
    additions: nullable(count),
    deletions: nullable(count),
  }),
  merge_request_version_commits: line({ version: number, position: count, oid: Oid }),
}

/** After the notes. */
export const suggestionTables = {
  suggestions: line({
    note: number,
    position: count,
    from_content: longText,
    to_content: longText,
    lines_above: count,
    lines_below: count,
    applied: flag,
    commit_oid: nullable(Oid),
  }),
}

/** Settings of a project that were added with merge requests. */
export const reviewSettings = {
  merge_commit_template: Type.Optional(nullable(text(65_536))),
  squash_commit_template: Type.Optional(nullable(text(65_536))),
  suggestion_commit_message: Type.Optional(nullable(text(65_536))),
  squash_option: Type.Optional(oneOf('never', 'always', 'default_on', 'default_off')),
  remove_source_branch_after_merge: Type.Optional(flag),
  only_allow_merge_if_all_status_checks_passed: Type.Optional(flag),
  merge_pipelines_enabled: Type.Optional(flag),
  merge_trains_enabled: Type.Optional(flag),
  merge_trains_skip_train_allowed: Type.Optional(flag),
  max_pipelines_per_merge_train: Type.Optional(Type.Integer({ minimum: 1, maximum: 20 })),
  merge_train_batch_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 32 })),
}
export const reviewSettingNames = Object.keys(reviewSettings) as Array<keyof typeof reviewSettings>
