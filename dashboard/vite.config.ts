// The dashboard as static files in dist/dashboard. Every address is relative, so that it works below any prefix.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  root: here('.'),
  base: './',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: here('../dist/dashboard'),
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    // Nothing is inlined: the content security policy allows files of the server only.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // Sizes per entry and its imports, which the test of the bundle budget reads.
    manifest: true,
  },
  server: {
    // `npm run dashboard:dev` beside a server: HOLDFAST_SERVER=http://127.0.0.1:8080
    proxy: { '/api': process.env.HOLDFAST_SERVER ?? 'http://127.0.0.1:8080' },
  },
})
