// SPDX-FileCopyrightText: The Limber authors
// SPDX-License-Identifier: Apache-2.0
//
// Elements of the page. Text goes in as text, never as markup.

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className = "",
  text = "",
): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  if (className) {
    e.className = className;
  }
  if (text) {
    e.textContent = text;
  }
  return e;
}

export function byId<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

/** Offers something for download. */
export function save(blob: Blob, name: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** A table of two columns. */
export function table(rows: [string, string][]): HTMLTableElement {
  const t = element("table", "pairs");
  for (const [name, value] of rows) {
    const row = t.insertRow();
    row.insertCell().textContent = name;
    row.insertCell().textContent = value;
  }
  return t;
}
