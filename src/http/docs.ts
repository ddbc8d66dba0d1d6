/** The documentation of the API, for programs and for people. */
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import type { OpenApiDocument } from './openapi.ts'

export async function docsRoutes(server: FastifyInstance, document: OpenApiDocument): Promise<void> {
  const text = JSON.stringify(document)
  server.get('/api/v4/openapi.json', (_, reply) => reply.type('application/json').send(text))
  await server.register(async (scope) => {
    await scope.register(swagger, { mode: 'static', specification: { document: document as never } })
    await scope.register(swaggerUi, {
      routePrefix: '/api/docs',
      staticCSP: true,
      uiConfig: { docExpansion: 'list', tryItOutEnabled: false },
    })
  })
}
