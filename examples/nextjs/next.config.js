/** @type {import('next').NextConfig} */
export default {
  // The test builds into a folder of its own.
  distDir: process.env.NEXT_DIST_DIR ?? '.next',
}
