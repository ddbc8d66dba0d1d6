/** Endpoints and jobs of environments, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { deployments } from './deployments.endpoints.ts'
import { environments } from './environments.endpoints.ts'
import { environmentJobs } from './environments.jobs.ts'

export const environmentsFeature = feature({ endpoints: section('Environments', environments, deployments), jobs: environmentJobs })
