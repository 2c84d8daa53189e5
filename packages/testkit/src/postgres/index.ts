/** PostgreSQL for tests. The global setup is a separate file: `global-setup.ts`. */
export { type PostgresMajor, postgresMajors } from './postgres-major.ts'
export {
  createTemplateDatabase,
  createTestDatabase,
  type TemplateOptions,
  type TestDatabase,
  type TestDatabaseOptions,
} from './test-database.ts'
export { type TestServerOptions, testServer } from './test-server.ts'
export type { TestServer } from './throwaway-server.ts'
