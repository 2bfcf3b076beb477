"""The orders: what SQL finds is what a plain filter finds, and nothing can be written or left behind."""

from __future__ import annotations

import csv
import datetime as dt
import gc
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from labkit import paths
from labkit.toolsets.everyday import everyday_tools
from labkit.toolsets.everyday.orders import OrdersDatabase, check_dates, open_read_only

STATUSES = ("paid", "unpaid", "refunded")
FIRST, LAST = dt.date(2026, 8, 15), dt.date(2026, 9, 14)
days = st.dates(dt.date(2026, 8, 10), dt.date(2026, 9, 20))


def shipped_rows() -> list[list[Any]]:
    with paths.data("orders.csv").open(encoding="utf-8", newline="") as lines:
        return [[int(number), *others] for number, *others in list(csv.reader(lines))[1:]]


ROWS = shipped_rows()


@pytest.fixture(scope="module")
def database() -> OrdersDatabase:
    return OrdersDatabase.build()


def filtered(start: dt.date, end: dt.date, status: str | None) -> list[list[Any]]:
    inside = [r for r in ROWS if start.isoformat() <= r[3] <= end.isoformat() and status in (None, r[4])]
    return sorted(inside, key=lambda row: (row[3], row[0]))


@given(start=days, end=days, status=st.sampled_from((None, *STATUSES)), limit=st.integers(1, 100))
def test_sql_agrees_with_a_plain_filter(
    database: OrdersDatabase, start: dt.date, end: dt.date, status: Any, limit: int
) -> None:
    expected = filtered(start, end, status)
    assert database.query_orders(start, end, status, limit) == {
        "matched": len(expected),
        "shown": min(limit, len(expected)),
        "columns": ["id", "customer", "city", "date", "status", "amount"],
        "rows": expected[:limit],
    }


def test_the_data_hold_what_the_lessons_need(database: OrdersDatabase) -> None:
    assert len(ROWS) == 120
    assert len({row[0] for row in ROWS}) == 120
    assert {row[4] for row in ROWS} == set(STATUSES)
    assert (min(row[3] for row in ROWS), max(row[3] for row in ROWS)) == (FIRST.isoformat(), LAST.isoformat())
    one_day = database.query_orders(dt.date(2026, 9, 1), dt.date(2026, 9, 1))
    assert 0 < one_day["matched"] == one_day["shown"] < 20


def test_amounts_come_back_to_the_cent(database: OrdersDatabase) -> None:
    with sqlite3.connect(database.path) as connection:
        kinds = connection.execute("SELECT DISTINCT typeof(cents) FROM orders").fetchall()
        total = connection.execute("SELECT SUM(cents) FROM orders").fetchone()[0]
    connection.close()
    assert kinds == [("integer",)]
    assert total == sum(int(row[5].replace(".", "")) for row in ROWS)
    assert all(len(row[5].split(".")[1]) == 2 for row in database.query_orders(FIRST, LAST, None, 100)["rows"])


def test_the_default_limit_is_20_and_the_rest_is_counted(database: OrdersDatabase) -> None:
    answer = database.query_orders(FIRST, LAST)
    assert (answer["matched"], answer["shown"], len(answer["rows"])) == (120, 20, 20)


@pytest.mark.parametrize("ascii_only", [True, False])
def test_100_rows_stay_below_the_cap_on_a_result(database: OrdersDatabase, ascii_only: bool) -> None:
    for later in range(20):
        answer = database.query_orders(FIRST + dt.timedelta(later), LAST, None, 100)
        assert len(json.dumps(answer, ensure_ascii=ascii_only)) < 8000


INJECTIONS = [
    "paid' OR '1'='1",
    "'; DROP TABLE orders; --",
    "paid' UNION SELECT name, sql, 1, 1, 1, 1, 1 FROM sqlite_master --",
    '" OR ""="',
    "paid\x00",
    "%",
    "*",
]


@pytest.mark.parametrize("text", INJECTIONS)
def test_sql_in_a_value_is_only_a_value(database: OrdersDatabase, text: Any) -> None:
    before = database.path.read_bytes()
    assert database.query_orders(FIRST, LAST, text, 100)["matched"] == 0
    assert database.path.read_bytes() == before
    assert database.query_orders(FIRST, LAST)["matched"] == 120


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM orders",
        "UPDATE orders SET status = 'paid'",
        "INSERT INTO orders VALUES (1, 'a', 'b', '2026-01-01', 'paid', 1)",
        "DROP TABLE orders",
        "CREATE TABLE other (a)",
    ],
)
def test_the_connection_cannot_write(database: OrdersDatabase, statement: str) -> None:
    connection = open_read_only(database.path)
    try:
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            connection.execute(statement)
    finally:
        connection.close()


def test_calls_from_many_threads_at_once_agree(database: OrdersDatabase) -> None:
    together = threading.Barrier(16)
    answers: list[dict[str, Any]] = []

    def ask() -> None:
        together.wait(10)
        answers.append(database.query_orders(FIRST, LAST, "paid", 100))

    threads = [threading.Thread(target=ask, daemon=True) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(answers) == 16
    assert all(answer == answers[0] for answer in answers)
    assert answers[0]["matched"] == len(filtered(FIRST, LAST, "paid"))


def test_an_end_before_the_start_is_named() -> None:
    tool = {each.name: each for each in everyday_tools()}["query_orders"]
    assert tool.check is check_dates
    values = {"start_date": dt.date(2026, 9, 7), "end_date": dt.date(2026, 9, 1)}
    assert check_dates(values) == "end_date 2026-09-01 is before start_date 2026-09-07"
    assert check_dates(values | {"end_date": dt.date(2026, 9, 7)}) is None


def test_the_description_names_the_dates_that_there_are() -> None:
    tool = {each.name: each for each in everyday_tools()}["query_orders"]
    assert f"from {FIRST} to {LAST}" in tool.description
    assert "Only reads" in tool.description


def test_nothing_is_left_when_the_tools_are_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    tools = everyday_tools()
    assert len(list(tmp_path.rglob("*.sqlite"))) == 1
    kept = tools[3]
    del tools
    gc.collect()
    assert kept(FIRST, LAST)["matched"] == 120, "one tool in use keeps the file"
    del kept
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_a_faulty_order_leaves_nothing_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "orders.csv"
    source.write_text("id,customer,city,date,status,amount\n1,a,b,2026-09-01,lost,1.00\n", encoding="utf-8")
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr("labkit.toolsets.everyday.orders.data", lambda *parts: source)
    with pytest.raises(sqlite3.IntegrityError):
        OrdersDatabase.build()
    gc.collect()
    assert list(folder.iterdir()) == []


def in_a_program(tmp_path: Path, source: str) -> str:
    environment = os.environ | {"TMPDIR": str(tmp_path), "TEMP": str(tmp_path), "TMP": str(tmp_path)}
    environment["PYTHONPATH"] = os.pathsep.join(
        [str(paths.repository()), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    command = [sys.executable, "-B", "-c", source]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_end_of_a_program_removes_its_copy(tmp_path: Path) -> None:
    source = """
from labkit.toolsets.everyday import everyday_tools
import os, tempfile
tools = everyday_tools()
print(len(os.listdir(tempfile.gettempdir())))
"""
    assert in_a_program(tmp_path, source).split() == ["1"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
def test_a_forked_child_does_not_remove_its_parents_copy(tmp_path: Path) -> None:
    source = """
import datetime as dt, os, sys
from labkit.toolsets.everyday.orders import OrdersDatabase
database = OrdersDatabase.build()
child = os.fork()
if child == 0:
    sys.exit(0)
os.waitpid(child, 0)
print(database.query_orders(dt.date(2026, 8, 15), dt.date(2026, 9, 14))["matched"])
"""
    assert in_a_program(tmp_path, source).split() == ["120"]
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_odd_characters_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = tmp_path / "a b#c%20 ü"
    odd.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(odd))
    assert OrdersDatabase.build().query_orders(FIRST, LAST)["matched"] == 120
