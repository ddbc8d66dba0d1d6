/** Endpoints of storage health, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { storageHealth } from './storage-health.endpoints.ts'

export const storageHealthFeature = feature({ endpoints: section('Monitoring', storageHealth) })
