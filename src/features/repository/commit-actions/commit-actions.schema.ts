/** The parameters of a new commit (spec 4.4, 4.14). */
import { type Static, Type } from 'typebox'
import { Off, oneOf, oneOfDefault, resource, text } from '../../../http/parameters/schema.ts'

/** Several thousand in one commit are common. */
const maxActions = 20_000

/** The body contains the content, and base64 makes it a third larger. */
export const maxBody_bytes = 32 * 1024 * 1024

const longestName = 255
/** The limit at which commits are truncated when they are read. */
const longestMessage = 1024 * 1024

export const Encoding = oneOfDefault('text', 'base64')

export const Action = resource('CommitAction', {
  action: oneOf('create', 'update', 'move', 'delete', 'chmod'),
  file_path: Type.String(),
  previous_path: Type.Optional(Type.String({ description: 'Previous path of the file; for move' })),
  content: Type.Optional(
    Type.String({ description: 'For create and update, and for move if the content changes too. Send binary content as base64' }),
  ),
  encoding: Encoding,
  last_commit_id: Type.Optional(Type.String({ description: 'The last known commit of the file; with a later one, the request fails' })),
  execute_filemode: Type.Optional(Type.Boolean({ description: 'For chmod' })),
})

export type Action = Static<typeof Action>

/** Parameters of every commit. */
export const commitParameters = {
  branch: Type.String({ description: 'Branch to commit to; a new one together with start_branch' }),
  commit_message: text(longestMessage),
  start_branch: Type.Optional(Type.String({ description: 'Branch to start the new branch from' })),
  start_sha: Type.Optional(Type.String({ description: 'Commit to start the new branch from, instead of start_branch' })),
  start_project: Type.Optional(Type.String({ description: 'Id or path of the project that start_branch or start_sha are of' })),
  author_email: Type.Optional(text(longestName)),
  author_name: Type.Optional(text(longestName)),
}

/** Parameters of a commit that updates a submodule (newer than release 11.3). */
export const submodulePointer = {
  branch: Type.String({ description: 'Branch to commit to' }),
  commit_sha: Type.String({ pattern: '^([0-9a-f]{40}|[0-9a-f]{64})$', description: 'Full id of the commit of the submodule' }),
  commit_message: Type.Optional(text(longestMessage)),
}

/** Parameters that only commits with several actions have. */
export const forcing = {
  force: Type.Unsafe<boolean>({
    ...Off,
    description: 'Replace the branch, if it is there, by the new commit on start_branch or start_sha',
  }),
}

export const CommitParameters = Type.Object({ ...commitParameters, force: Type.Optional(Type.Boolean()) })

export const actions = Type.Array(Action, { minItems: 1, maxItems: maxActions })
