/** The signature of a commit, newer than release 11.3 (the current public documentation of the API). */
import { Type } from 'typebox'
import { notFound } from '../../../failure.ts'
import { endpoint } from '../../../http/declare/endpoint.ts'
import { project } from '../../../http/declare/rules.ts'
import { within } from '../../../http/declare/within.ts'
import { nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import { Key } from '../../people/keys/keys.schema.ts'
import { commit } from '../revisions.ts'
import { signatureOf } from './signature.service.ts'

const optionalText = Type.Optional(nullable(Type.String()))

const CommitSignature = resource('CommitSignature', {
  signature_type: oneOf('PGP', 'SSH', 'X509'),
  verification_status: oneOf(
    'verified',
    'unverified',
    'unknown_key',
    'unverified_key',
    'same_user_different_email',
    'other_user',
    'revoked_key',
    'multiple_signatures',
  ),
  gpg_key_id: Type.Optional(nullable(Type.Integer())),
  gpg_key_primary_keyid: optionalText,
  gpg_key_user_name: optionalText,
  gpg_key_user_email: optionalText,
  gpg_key_subkey_id: Type.Optional(nullable(Type.Integer({ description: 'Null: subkeys have no number of their own' }))),
  key: Type.Optional(nullable(Key)),
  commit_source: Type.String({ description: 'git: the program that verified it' }),
})

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
