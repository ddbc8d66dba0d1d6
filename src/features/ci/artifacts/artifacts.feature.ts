/** Endpoints and jobs of artifacts, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { artifacts } from './artifacts.endpoints.ts'
import { artifactJobs } from './artifacts.jobs.ts'

export const artifactsFeature = feature({ endpoints: section('Job artifacts', artifacts), jobs: artifactJobs })
