/** Endpoints and jobs of queues of merge requests, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { mergeTrains } from './merge-trains.endpoints.ts'
import { mergeTrainJobs } from './merge-trains.jobs.ts'

export const mergeTrainsFeature = feature({ endpoints: section('Merge requests', mergeTrains), jobs: mergeTrainJobs })
