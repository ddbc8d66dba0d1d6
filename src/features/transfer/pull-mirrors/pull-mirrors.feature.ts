/** Endpoints and jobs of pull mirrors, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { pullMirrors } from './pull-mirrors.endpoints.ts'
import { pullMirrorJobs } from './pull-mirrors.jobs.ts'

export const pullMirrorsFeature = feature({ endpoints: section('Mirrors', pullMirrors), jobs: pullMirrorJobs })
