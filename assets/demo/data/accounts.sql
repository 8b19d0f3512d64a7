-- What the operators of spacecraft owe Halyard: contracts, tariffs and invoices. `refdesk --demo` builds data/accounts.db from this.
CREATE TABLE account (
    id INTEGER PRIMARY KEY,
    code TEXT NOT NULL UNIQUE,          -- Short name, as in booking requests.
    legal_name TEXT NOT NULL,           -- As it has to stand on paper.
    currency TEXT NOT NULL DEFAULT 'EUR',
    opened_on TEXT NOT NULL,
    closed_on TEXT                      -- Empty while we fly for them.
);

CREATE TABLE addressee (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES account (id),
    full_name TEXT NOT NULL,
    email TEXT NOT NULL,
    phone TEXT,
    gets_reminders INTEGER NOT NULL DEFAULT 1
);

CREATE TABLE tariff (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    minute_cents INTEGER NOT NULL,      -- Price of a minute between acquisition and loss of signal.
    night_cents INTEGER NOT NULL,       -- The same from 22:00 to 06:00 at the dish.
    valid_from TEXT NOT NULL
);

CREATE TABLE contract (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES account (id),
    tariff_id INTEGER NOT NULL REFERENCES tariff (id),
    spacecraft TEXT NOT NULL,           -- Catalogue number, as in two-line elements.
    minutes_a_month INTEGER NOT NULL,   -- Paid for whether flown or not.
    begins_on TEXT NOT NULL,
    ends_on TEXT
);
CREATE INDEX contract_account ON contract (account_id);

CREATE TABLE invoice (
    id INTEGER PRIMARY KEY,
    number TEXT NOT NULL UNIQUE,
    account_id INTEGER NOT NULL REFERENCES account (id),
    addressee_id INTEGER REFERENCES addressee (id),
    month TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'sent', 'paid', 'disputed')),
    total_cents INTEGER NOT NULL
);
CREATE INDEX invoice_account ON invoice (account_id);

CREATE TABLE invoice_position (
    invoice_id INTEGER NOT NULL REFERENCES invoice (id),
    number INTEGER NOT NULL,            -- Counts from 1 within the invoice.
    contract_id INTEGER NOT NULL REFERENCES contract (id),
    booking_ulid TEXT NOT NULL,            -- The pass in the pass service; there is no key to it here.
    minutes INTEGER NOT NULL,
    is_night INTEGER NOT NULL DEFAULT 0,
    cents INTEGER NOT NULL,
    PRIMARY KEY (invoice_id, number)
);

CREATE TABLE remittance (
    id INTEGER PRIMARY KEY,
    invoice_id INTEGER NOT NULL REFERENCES invoice (id),
    received_on TEXT NOT NULL,
    cents INTEGER NOT NULL,             -- Negative if it was paid back.
    iban TEXT
);

CREATE VIEW unpaid_invoice AS
    SELECT invoice.id, invoice.number, account.code, invoice.total_cents - coalesce(sum(remittance.cents), 0) AS owed_cents
    FROM invoice JOIN account ON account.id = invoice.account_id LEFT JOIN remittance ON remittance.invoice_id = invoice.id
    WHERE invoice.status IN ('sent', 'disputed') GROUP BY invoice.id;

INSERT INTO tariff VALUES (1, 'standard', 950, 1150, '2023-01-01'), (2, 'university', 400, 400, '2023-01-01'),
    (3, 'emergency', 3200, 3200, '2024-02-01');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 14)
INSERT INTO account SELECT i, printf('op-%02d', i), printf('Operator %d Ltd', i), iif(i % 5 = 0, 'USD', 'EUR'),
    printf('20%02d-%02d-01', 21 + i % 4, 1 + i % 12), iif(i = 9, '2024-11-30', NULL) FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
INSERT INTO addressee SELECT i, 1 + i % 14, printf('Person %d', i), printf('person%d@op-%02d.example', i, 1 + i % 14),
    iif(i % 3 = 0, NULL, printf('+49 30 5550%03d', i)), i % 4 > 0 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 24)
INSERT INTO contract SELECT i, 1 + i % 14, 1 + i % 2, 40000 + 137 * i, 60 * (1 + i % 6),
    printf('20%02d-%02d-01', 22 + i % 3, 1 + i % 12), NULL FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
INSERT INTO invoice SELECT i, printf('H-2024-%04d', i), 1 + i % 14, 1 + i % 20, printf('2024-%02d', 1 + i % 12),
    CASE i % 6 WHEN 0 THEN 'draft' WHEN 1 THEN 'sent' WHEN 2 THEN 'disputed' ELSE 'paid' END, 5700 * (1 + i % 6) FROM n;
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 119)
INSERT INTO invoice_position SELECT 1 + i / 2, 1 + i % 2, 1 + i % 24, printf('01J%023d', 7919 * i), 6 + i % 7, i % 3 = 0,
    (6 + i % 7) * 950 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO remittance SELECT i, i, printf('2024-%02d-%02d', 1 + i % 12, 1 + i % 28), 5700 * (1 + i % 6), NULL FROM n;
