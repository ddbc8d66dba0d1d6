/** Endpoints of access tokens, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { accessTokens } from './access-tokens.endpoints.ts'

export const accessTokensFeature = feature({ endpoints: section('Access tokens', accessTokens) })
