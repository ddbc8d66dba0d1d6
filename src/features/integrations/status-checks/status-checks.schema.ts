/** Status checks as JSON. */
import { Type } from 'typebox'
import { Id, oneOf, resource } from '../../../http/parameters/schema.ts'
import { ProtectedBranch } from '../../repository/protected-refs/protected-refs.schema.ts'
import { MergeRequestSimple } from '../../review/merge-requests/merge-requests.schema.ts'

const text = Type.String()

export const ExternalStatusCheck = resource('ExternalStatusCheck', {
  id: Type.Integer(),
  name: text,
  project_id: Type.Integer(),
  external_url: Type.String({ description: 'Without the password in it' }),
  hmac: Type.Boolean({ description: 'Whether it has a secret that signs what it is sent' }),
  protected_branches: Type.Array(ProtectedBranch, { description: 'The rules of the branches it is for; none for all branches' }),
})

export const MergeRequestStatusCheck = resource('MergeRequestStatusCheck', {
  id: Type.Integer(),
  name: text,
  external_url: Type.String({ description: 'For those who may not manage status checks: its host alone' }),
  status: oneOf('pending', 'passed', 'failed'),
})

export const StatusCheckAnswer = resource('StatusCheckResponse', {
  id: Type.Integer(),
  merge_request: MergeRequestSimple,
  external_status_check: ExternalStatusCheck,
})

const name = Type.String({ minLength: 1, maxLength: 255 })
const external_url = Type.String({ minLength: 1, maxLength: 2_048 })
const shared_secret = Type.Optional(Type.String({ maxLength: 1_024, description: 'Signs what it is sent, in `X-Gitlab-Signature`' }))
const protected_branch_ids = Type.Optional(Type.Array(Id, { maxItems: 100, description: 'The rules of the branches it is for' }))

export const newCheck = { name, external_url, shared_secret, protected_branch_ids }
export const checkChange = { name: Type.Optional(name), external_url: Type.Optional(external_url), shared_secret, protected_branch_ids }
