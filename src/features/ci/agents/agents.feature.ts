/** Endpoints and jobs of agents, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { agents } from './agents.endpoints.ts'
import { agentJobs } from './agents.jobs.ts'

export const agentsFeature = feature({ endpoints: section('Runners', agents), jobs: agentJobs })
