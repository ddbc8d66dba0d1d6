/** Commits and their changes (spec 2.8). */
import { Type } from 'typebox'
import { Instant, nullable, oneOf, resource } from '../../../http/parameters/schema.ts'

const text = Type.String()

export const Commit = resource('Commit', {
  id: text,
  short_id: text,
  title: text,
  created_at: Instant,
  parent_ids: Type.Array(text),
  message: text,
  author_name: text,
  author_email: text,
  authored_date: Instant,
  committer_name: text,
  committer_email: text,
  committed_date: Instant,
  trailers: Type.Record(text, text, {
    description: 'Of the last paragraph of the message: Signed-off-by and the like; of equal ones the last',
  }),
  web_url: text,
})

const Stats = resource('CommitStats', { additions: Type.Integer(), deletions: Type.Integer(), total: Type.Integer() })

export const CommitInList = resource('CommitInList', { ...Commit.properties, stats: Type.Optional(Stats) })

export const CommitDetail = resource('CommitDetail', {
  ...Commit.properties,
  stats: Type.Optional(Stats),
  status: nullable(text),
  last_pipeline: nullable(Type.Object({ id: Type.Integer(), ref: text, sha: text, status: text, web_url: text })),
  project_id: Type.Integer(),
})

export const CommitSequence = resource('CommitSequence', { count: Type.Integer() })

export const CommitRef = resource('CommitRef', { type: oneOf('branch', 'tag'), name: text })

export const Diff = resource('Diff', {
  old_path: text,
  new_path: text,
  a_mode: nullable(text),
  b_mode: text,
  new_file: Type.Boolean(),
  renamed_file: Type.Boolean(),
  deleted_file: Type.Boolean(),
  diff: Type.String({ description: 'Empty if left out, or without changes to show' }),
  too_large: Type.Boolean({ description: 'The diff of this file is too large to show' }),
  collapsed: Type.Boolean({ description: 'Left out because of the total size: a page of fewer files may include it' }),
})
