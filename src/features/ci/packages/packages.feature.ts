/** Endpoints of packages, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { packages } from './packages.endpoints.ts'

export const packagesFeature = feature({ endpoints: section('Packages', packages) })
