/** Endpoints of dependencies of merge requests, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { dependencies } from './dependencies.endpoints.ts'

export const dependenciesFeature = feature({ endpoints: section('Merge requests', dependencies) })
