/** The signature of a commit or a tag in JSON. */
import { Type } from 'typebox'
import { nullable, oneOf, resource } from '../../../http/parameters/schema.ts'
import { Key } from '../../people/keys/keys.schema.ts'

const optionalText = Type.Optional(nullable(Type.String()))

export const CommitSignature = resource('CommitSignature', {
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
