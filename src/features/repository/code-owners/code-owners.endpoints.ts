/** The errors of a CODEOWNERS file, line by line, with the codes of the newer API, which tells them by GraphQL alone. */
import { Type } from 'typebox'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { project } from '../../../http/declare/rules.ts'
import { nullable, resource } from '../../../http/parameters/schema.ts'
import { requireCommitOrTip } from '../revisions.ts'
import { codeOwnersAt } from './code-owners.service.ts'
import { ownerFaultWords } from './faults.ts'

/** Whoever fixes a file needs no more at a time. */
const maxShown = 1_000

const CodeOwnerErrors = resource('CodeOwnerErrors', {
  commit_id: Type.String(),
  path: nullable(Type.String({ description: 'Of the file that counts; null without one' })),
  total: Type.Integer(),
  errors: Type.Array(
    Type.Object({ line: Type.Integer(), code: Type.String({ description: 'missing_entry_owner, for example' }), message: Type.String() }),
    { description: `The first ${maxShown}` },
  ),
})

export const codeOwners = [
  endpoint('GET /projects/:id/repository/codeowners/errors', {
    summary: 'Get the errors of the CODEOWNERS file of a commit',
    access: project('code'),
    query: { ref: Type.Optional(Type.String({ description: 'Branch, tag or commit; the default branch by default' })) },
    reply: CodeOwnerErrors,
    async handle({ repo, project, query: { ref } }) {
      const commit_id = await requireCommitOrTip(repo, project, ref, 'Commit')
      const found = await codeOwnersAt(repo, commit_id)
      const errors = found?.errors ?? []
      return {
        commit_id,
        path: found?.path ?? null,
        total: errors.length,
        errors: errors.slice(0, maxShown).map(({ line, fault }) => ({ line, code: fault, message: ownerFaultWords[fault] })),
      }
    },
  }),
]
