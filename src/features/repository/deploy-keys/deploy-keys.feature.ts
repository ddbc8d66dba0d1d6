/** Endpoints of deploy keys, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { deployKeys } from './deploy-keys.endpoints.ts'

export const deployKeysFeature = feature({ endpoints: section('Deploy keys', deployKeys) })
