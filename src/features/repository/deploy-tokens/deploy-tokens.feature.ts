/** Endpoints of deploy tokens, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { deployTokens } from './deploy-tokens.endpoints.ts'

export const deployTokensFeature = feature({ endpoints: section('Deploy tokens', deployTokens) })
