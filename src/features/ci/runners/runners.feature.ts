/** Endpoints of runners, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { runnersOfPlaces } from './places.endpoints.ts'
import { runnerRegistration } from './registration.endpoints.ts'
import { runners } from './runners.endpoints.ts'

export const runnersFeature = feature({ endpoints: section('Runners', runners, runnersOfPlaces, runnerRegistration) })
