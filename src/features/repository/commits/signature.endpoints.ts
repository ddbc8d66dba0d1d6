/** The signature of a commit, newer than release 11.3 (the current public documentation of the API). */
import { notFound } from '../../../failure.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { project } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { commit } from '../revisions.ts'
import { CommitSignature } from './signature.schema.ts'
import { signatureOf } from './signature.service.ts'

export const signatures = [
  endpoint('GET /projects/:id/repository/commits/:sha/signature', {
    summary: 'Get the signature of a commit, verified with the keys of its committer',
    access: within(project('code'), commit),
    reply: CommitSignature,
    async handle({ app, repo, commit }) {
      const signature = await signatureOf(app.db, repo, commit)
      if (!signature) throw notFound('Signature')
      return signature
    },
  }),
]
