/** Endpoints of job artifacts, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { artifactWrites } from './job-artifacts.endpoints.ts'

export const jobArtifactsFeature = feature({ endpoints: section('Job artifacts', artifactWrites) })
