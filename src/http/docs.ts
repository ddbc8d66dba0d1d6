/** The documentation of the API, for programs and for people. */
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import type { OpenApiDocument } from './openapi.ts'

/** The pages run their own scripts and nobody else's; they work on plain HTTP as on TLS. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'"

export async function docsRoutes(server: FastifyInstance, document: OpenApiDocument): Promise<void> {
  const text = JSON.stringify(document)
  server.get('/api/v4/openapi.json', (_, reply) => reply.type('application/json').send(text))
  await server.register(async (scope) => {
    await scope.register(swagger, { mode: 'static', specification: { document: document as never } })
    await scope.register(swaggerUi, {
      routePrefix: '/api/docs',
      staticCSP: pagePolicy,
      theme: { title: 'Gitstead API', css: [{ filename: 'theme.css', content: '.topbar { display: none }' }] },
      uiConfig: { docExpansion: 'list', tryItOutEnabled: false },
    })
  })
}
