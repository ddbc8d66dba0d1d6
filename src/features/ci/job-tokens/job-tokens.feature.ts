/** Endpoints of job tokens, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { jobTokenScope } from './scope.endpoints.ts'

export const jobTokensFeature = feature({ endpoints: section('Job tokens', jobTokenScope) })
