import {
  Body,
  ConflictException,
  Controller,
  Get,
  HttpCode,
  NotFoundException,
  Param,
  Post,
  UseFilters,
  ValidationPipe,
} from "@nestjs/common";
import { PlaceOrderInput } from "./order-input.js";
import { orderView, placedView } from "./order-view.js";
import { OrdersService } from "./orders.service.js";
import { OutageFilter } from "./outage.filter.js";

const checked = new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true });

@Controller("orders")
@UseFilters(OutageFilter)
export class OrdersController {
  constructor(private readonly orders: OrdersService) {}

  @Post()
  async place(@Body(checked) input: PlaceOrderInput): Promise<object> {
    const placement = await this.orders.place(input);
    if (placement.outcome === "conflict") throw new ConflictException(`There is another order ${input.orderId}.`);
    return placedView(placement.order);
  }

  @Post(":id/payment")
  @HttpCode(200)
  async pay(@Param("id") id: string): Promise<object> {
    const payment = await this.orders.pay(id);
    if (payment.outcome === "not_found") throw new NotFoundException(`There is no order ${id}.`);
    if (payment.outcome === "too_late") throw new ConflictException(`The order ${id} is cancelled.`);
    return { orderId: id, status: "paid", paidAt: payment.order.closedAt };
  }

  @Get(":id")
  async find(@Param("id") id: string): Promise<object> {
    const order = await this.orders.find(id);
    if (!order) throw new NotFoundException(`There is no order ${id}.`);
    return orderView(order);
  }
}
