/** Endpoints of gpg keys, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { gpgKeys } from './gpg-keys.endpoints.ts'

export const gpgKeysFeature = feature({ endpoints: section('GPG keys', gpgKeys) })
