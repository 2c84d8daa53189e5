export * from './postgres/index.ts'
export * from './servers/index.ts'
export { dead, migratedDatabase, retry, succeeded, TestStore } from './store/test-store.ts'
