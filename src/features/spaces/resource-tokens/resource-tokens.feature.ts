/** Endpoints and jobs of resource tokens, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { resourceTokens } from './resource-tokens.endpoints.ts'
import { resourceTokenJobs } from './resource-tokens.jobs.ts'

export const resourceTokensFeature = feature({ endpoints: section('Access tokens', resourceTokens), jobs: resourceTokenJobs })
