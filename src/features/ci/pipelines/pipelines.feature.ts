/** Endpoints and jobs of pipelines, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { pipelines } from './pipelines.endpoints.ts'
import { pipelineJobs } from './pipelines.jobs.ts'

export const pipelinesFeature = feature({ endpoints: section('Pipelines', pipelines), jobs: pipelineJobs })
