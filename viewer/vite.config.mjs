// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// One script and one style sheet, which bundle.mjs puts into the page.
import { defineConfig } from "vite";

export default defineConfig({
  build: {
    target: "es2020",
    outDir: "build",
    emptyOutDir: true,
    cssCodeSplit: false,
    rollupOptions: {
      input: "src/main.ts",
      output: {
        format: "iife",
        entryFileNames: "viewer.js",
        assetFileNames: "viewer[extname]",
        inlineDynamicImports: true,
      },
    },
  },
});
