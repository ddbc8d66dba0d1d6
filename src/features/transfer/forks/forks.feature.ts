/** Endpoints and jobs of forks, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { forks } from './forks.endpoints.ts'
import { forkJobs } from './forks.jobs.ts'

export const forksFeature = feature({ endpoints: section('Forks', forks), jobs: forkJobs })
