/** Endpoints and jobs of stats, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { repositoryStats, repositoryStatsJobs } from './stats.endpoints.ts'

export const statsFeature = feature({ endpoints: section('Repository', repositoryStats), jobs: repositoryStatsJobs })
