/** Versions of merge requests, and the files they change, as JSON. */
import { Type } from 'typebox'
import { Instant, nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import { Commit, Diff } from '../../repository/commits/commits.schema.ts'

export const MergeRequestVersion = resource('MergeRequestVersion', {
  id: Type.Integer(),
  head_commit_sha: Type.String(),
  base_commit_sha: nullable(Type.String({ description: 'The last commit both branches have; null if they have none in common' })),
  start_commit_sha: Type.String({ description: 'The tip of the target branch' }),
  created_at: Instant,
  merge_request_id: Type.Integer(),
  state: oneOf('collected', 'overflow', 'empty', 'without_files'),
  real_size: Type.String({ description: 'How many files; `1000+` where there are more' }),
  patch_id_sha: nullable(Type.String({ description: 'As `git patch-id --stable` gives it; null of a diff that is empty or too large' })),
})

export const MergeRequestDiff = resource('MergeRequestDiff', {
  ...Diff.properties,
  generated_file: Type.Boolean({ description: 'Whether tools write the file, by its name' }),
})

export const MergeRequestVersionDetail = resource('MergeRequestVersionDetail', {
  ...MergeRequestVersion.properties,
  commits: Type.Array(Commit, { description: 'Newest first; at most 1,000, and about 4 million characters' }),
  diffs: Type.Array(MergeRequestDiff),
})

export const unidiff = Type.Boolean({ default: false, description: 'With the two lines that name the files above each diff' })
